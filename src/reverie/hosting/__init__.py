"""What a server holds for its clients: sessions they bring, and dreams over them as jobs."""
