"""`wellsourced checkup`: what is asked of checks that are stored. How it is worked out belongs in
wellsourced_evaluate.checkups."""
