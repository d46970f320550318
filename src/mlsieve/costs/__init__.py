"""What jobs cost: minutes, megabytes and disk, estimated from the data's sizes."""
