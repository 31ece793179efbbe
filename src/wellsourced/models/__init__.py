"""Language models: the protocols Model (answers typed prompts) and Engine (answers words), LanguageModel, which makes a
Model of an Engine and adds budget, cache, limits and pseudonyms, and the implementations. The prompts are in prompts;
which model the settings name is decided in config."""
