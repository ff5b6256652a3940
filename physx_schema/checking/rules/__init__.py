"""The rules, a file a family: what each is about, its examples, its finder and its repair stand together."""
