"""The engine without `Sandbox`: for a page in a browser, and for programs in Deno."""
