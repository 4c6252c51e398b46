notice($facts['os']['familly'])
notice($osfamilly)
