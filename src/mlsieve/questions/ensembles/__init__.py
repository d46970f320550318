"""Questions about ensembles of trees and their scores."""
