"""What is installed where: the agents Reverie can be connected to."""
