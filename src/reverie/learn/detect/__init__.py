"""Is a human turn a correction, and is it worth remembering?"""
