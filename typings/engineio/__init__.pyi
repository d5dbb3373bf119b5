from typing import Any

class AsyncServer:
    def create_queue(self, *args: Any, **kwargs: Any) -> Any: ...
