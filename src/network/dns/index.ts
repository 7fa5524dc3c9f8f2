// What other folders may use: the DNS server of a cluster.
export { findUpstreams, type FoundUpstreams, nameservers, RESOLV_CONF_FILES } from './forward/resolv-conf.ts';
export { formatUpstream, parseUpstream, type UpstreamAddress } from './forward/upstream-address.ts';
export { DnsServer, type DnsServerOptions, type ListenAddress } from './server/dns-server.ts';
