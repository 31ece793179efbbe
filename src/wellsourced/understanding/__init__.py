"""What the words of a question mean, without a model. `base` is the seam; `config` names the implementation."""
