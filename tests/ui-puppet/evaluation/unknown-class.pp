include ntpp
