print("to be")
