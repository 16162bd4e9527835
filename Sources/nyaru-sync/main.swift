print("nyaru-sync")
