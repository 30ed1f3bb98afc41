"""What runs read from app stores: reviews, what they raise, and how ratings move."""
