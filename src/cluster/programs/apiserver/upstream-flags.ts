import { type FlagGroup, flagsOf } from '../upstream-flag.ts';

const groups: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `admission-control-config-file default-not-ready-toleration-seconds default-unreachable-toleration-seconds
      advertise-address anonymous-auth? authorization-config authorization-mode authorization-policy-file
      authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
      authorization-webhook-config-file authorization-webhook-version bind-address cert-dir client-ca-file disable-admission-plugins
      enable-admission-plugins etcd-cafile etcd-certfile etcd-compaction-interval etcd-keyfile etcd-prefix etcd-servers event-ttl help?
      http2-max-streams-per-connection logging-format max-mutating-requests-inflight max-requests-inflight
      min-request-timeout request-timeout runtime-config secure-port shutdown-delay-duration service-cluster-ip-range tls-cert-file
      tls-private-key-file token-auth-file v api-audiences authentication-config authentication-token-webhook-cache-ttl
      authentication-token-webhook-config-file authentication-token-webhook-version enable-bootstrap-token-auth?
      oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url oidc-required-claim
      oidc-signing-algs oidc-username-claim oidc-username-prefix requestheader-allowed-names requestheader-client-ca-file
      requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
      requestheader-username-headers service-account-extend-token-expiration? service-account-issuer
      service-account-jwks-uri service-account-key-file service-account-max-token-expiration
      service-account-signing-key-file enable-priority-and-fairness? aggregator-reject-forwarding-redirect? enable-aggregator-routing? external-hostname
      proxy-client-cert-file proxy-client-key-file kubelet-certificate-authority kubelet-client-certificate
      kubelet-client-key kubelet-preferred-address-types`,
  },
  {
    verdict: 'accepted',
    why: 'buffering and splitting do not change the contents of logs',
    flags: `log-flush-frequency log-json-info-buffer-size log-json-split-stream? log-text-info-buffer-size
      log-text-split-stream? vmodule`,
  },
  {
    verdict: 'accepted',
    why: "there is no Go profiler; Node's profilers are options of Node's command line",
    flags: 'contention-profiling? profiling?',
  },
  {
    verdict: 'accepted',
    why: 'objects are read from the store, which is as fast as a cache, so there is no cache to size',
    flags: 'watch-cache? watch-cache-sizes',
  },
  {
    verdict: 'accepted',
    why: 'metrics are computed at scrape time',
    flags: 'etcd-count-metric-poll-period etcd-db-metric-poll-interval',
  },
  {
    verdict: 'accepted',
    why: 'upstream ignores it: requests to kubelets last as long as the client waits',
    flags: 'kubelet-timeout',
  },
  {
    verdict: 'accepted',
    why: 'one thread deletes them, in the order of the list',
    flags: 'delete-collection-workers',
  },
  {
    verdict: 'accepted',
    why: 'the flag of the controller manager decides whether the garbage collector runs; finalizers are kept either way',
    flags: 'enable-garbage-collector?',
  },
  {
    verdict: 'accepted',
    why: 'each event and each lease has a separate lease in etcd',
    flags: 'lease-reuse-duration-seconds',
  },
  {
    verdict: 'accepted',
    why: 'the bootstrap objects exist before the first request is answered, so there is nothing to wait for',
    flags: 'livez-grace-period storage-initialization-timeout etcd-healthcheck-timeout etcd-readycheck-timeout',
  },
  {
    verdict: 'accepted',
    why: 'no feature needs a leader among API servers',
    flags: `coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
      coordinated-leadership-retry-period`,
  },
  {
    verdict: 'accepted',
    why: 'there are no hidden metrics, and the number of series is limited for all',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'refused',
    why: 'all metrics are shown',
    flags: 'disabled-metrics',
  },
  {
    verdict: 'refused',
    why: 'use --enable-admission-plugins and --disable-admission-plugins',
    flags: 'admission-control',
  },
  {
    verdict: 'refused',
    why: 'privileged containers cannot be forbidden for the whole cluster',
    flags: 'allow-privileged?=true',
  },
  {
    verdict: 'refused',
    why: 'requests to other servers use the network of this machine; API servers of one cluster do not forward requests to each other',
    flags: 'egress-selector-config-file peer-advertise-ip peer-advertise-port peer-ca-file',
  },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst
      audit-log-batch-throttle-enable? audit-log-batch-throttle-qps audit-log-compress? audit-log-format audit-log-maxage
      audit-log-maxbackup audit-log-maxsize audit-log-mode audit-log-path audit-log-truncate-enabled?
      audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-log-version audit-policy-file
      audit-webhook-batch-buffer-size audit-webhook-batch-max-size audit-webhook-batch-max-wait
      audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable? audit-webhook-batch-throttle-qps
      audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode audit-webhook-truncate-enabled?
      audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version
      encryption-provider-config encryption-provider-config-automatic-reload?`,
  },
  {
    verdict: 'refused',
    why: 'service account tokens are signed here, and the objects they are bound to are always checked',
    flags: 'service-account-lookup?=true service-account-signing-endpoint',
  },
  {
    verdict: 'refused',
    why: 'the default is used; no other value is supported',
    flags: `disable-http2-serving?=false endpoint-reconciler-type=lease
      goaway-chance=0 kubernetes-service-node-port=0 max-connection-bytes-per-sec=0
      service-node-port-range=30000-32767 shutdown-send-retry-after?=false
      shutdown-watch-termination-grace-period=0|0s storage-backend=etcd3
      storage-media-type=application/vnd.kubernetes.protobuf| tls-min-version=VersionTLS12
      permit-address-sharing?=false permit-port-sharing?=false`,
  },
  {
    verdict: 'obeyed',
    why: 'only with the defaults of Kubernetes 1.36; other values are refused',
    flags: 'feature-gates',
  },
  {
    verdict: 'refused',
    why: 'the server implements Kubernetes 1.36 with its default features',
    flags: `emulated-version=1.36 emulation-forward-compatible?=false min-compatibility-version=1.35
      runtime-config-emulation-forward-compatible?=false`,
  },
  {
    verdict: 'refused',
    why: 'all kinds are in one etcd',
    flags: 'etcd-servers-overrides',
  },
  {
    verdict: 'refused',
    why: 'browsers of other origins are rejected, without CORS headers',
    flags: 'cors-allowed-origins strict-transport-security-directives',
  },
  {
    verdict: 'refused',
    why: 'one certificate is used for all clients, with a fixed list of ciphers',
    flags: 'tls-cipher-suites tls-curve-preferences tls-sni-cert-key',
  },
  {
    verdict: 'refused',
    why: 'there are no traces, debug sockets or log files to read remotely',
    flags: 'debug-socket-path enable-logs-handler?=false tracing-config-file',
  },
  {
    verdict: 'obeyed',
    why: "as upstream; the version is Kubernetes', with Keelson's own after the plus",
    flags: 'version',
  },
];

/** Every flag of kube-apiserver 1.36. */
export const apiserverFlags = flagsOf(groups);
