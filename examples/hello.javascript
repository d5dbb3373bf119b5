console.log("Hello from JavaScript", [3, 1, 2].toSorted());
