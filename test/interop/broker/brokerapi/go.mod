module keelson/interop/broker

go 1.26.0

require code.cloudfoundry.org/brokerapi/v13 v13.0.0

require github.com/google/uuid v1.6.0 // indirect
