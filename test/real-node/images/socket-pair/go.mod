module keelson/socket-pair

go 1.26.0
