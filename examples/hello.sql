select 'Hello from SQLite ' || sqlite_version() as greeting;
