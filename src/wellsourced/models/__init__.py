"""Language models and what is asked of them: the protocols Model (typed prompts) and Engine (words), LanguageModel
that makes the one of the other with budget, cache, limits and pseudonyms, and the implementations. What is asked
stands in prompts; which model the settings name is decided in config."""
