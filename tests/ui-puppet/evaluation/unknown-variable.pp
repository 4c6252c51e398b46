notice($undefined)
