"""Language models of providers, chosen as `provider:model`, over the one wire that leaves this machine.

Whatever speaks the language of another is reached in that language: OpenAI itself by its Responses API (`openai-chat`:
by chat completions); Anthropic and Google each in their own; Azure, Groq, Mistral, OpenRouter and every server that is
compatible with OpenAI by chat completions. Amazon Bedrock with a Bedrock API key: Claude models in Anthropic's
language, others by Bedrock's chat completions; requests signed with AWS credentials are not supported, since the
library that signs them opens connections of its own.

pydantic-ai and the providers' own libraries are imported when an engine is made, not before. They are given
connections, addresses and keys, and look for none.
"""
