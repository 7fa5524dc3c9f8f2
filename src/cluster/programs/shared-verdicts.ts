import type { FlagGroup } from './upstream-flag.ts';

/** What kube-controller-manager and kube-scheduler have in common: they are programs that serve, log and connect. */
export const sharedVerdicts: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'for the process: one port, one log',
    flags: 'bind-address help? http2-max-streams-per-connection logging-format v',
  },
  {
    verdict: 'accepted',
    why: 'it is a part of the server and asks it without a network, so that there is nothing to slow down or encode',
    flags: 'kube-api-burst kube-api-content-type kube-api-qps',
  },
  {
    verdict: 'accepted',
    why: 'how logs are buffered and split changes nothing that is written',
    flags: `log-flush-frequency log-json-info-buffer-size log-json-split-stream? log-text-info-buffer-size
      log-text-split-stream? vmodule`,
  },
  {
    verdict: 'accepted',
    why: "there is no profiler of Go's; Node's own are asked for on Node's command line",
    flags: 'contention-profiling? profiling?',
  },
  {
    verdict: 'accepted',
    why: 'its metrics are at the server, where their number is bounded for all',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'accepted',
    why: 'with an embedded store there is no competing process; on etcd, processes always compete, for the leases of upstream',
    flags: 'leader-elect? leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace',
  },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: 'leader-elect-lease-duration leader-elect-renew-deadline leader-elect-retry-period',
  },
  {
    verdict: 'refused',
    why: 'it has no port of its own: who may scrape or probe it is decided by the server',
    flags: `authentication-kubeconfig authentication-skip-lookup? authentication-token-webhook-cache-ttl
      authentication-tolerate-lookup-failure? authorization-always-allow-paths authorization-kubeconfig
      authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl cert-dir client-ca-file
      disable-http2-serving? permit-address-sharing? permit-port-sharing? requestheader-allowed-names
      requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
      requestheader-uid-headers requestheader-username-headers secure-port tls-cert-file tls-cipher-suites
      tls-curve-preferences tls-min-version tls-private-key-file tls-sni-cert-key`,
  },
  {
    verdict: 'refused',
    why: 'it works on the server that it is a part of; run the original program beside "keelson apiserver" to work on it',
    flags: 'kubeconfig master',
  },
  {
    verdict: 'refused',
    why: 'it is Kubernetes 1.36 that is served, with the features that are on by default',
    flags: 'emulated-version=1.36 feature-gates min-compatibility-version=1.35',
  },
  { verdict: 'refused', why: 'all metrics are shown', flags: 'disabled-metrics' },
  { verdict: 'refused', why: '"keelson version" tells it', flags: 'version' },
];

/** What differs where the program runs alone. */
export const standaloneVerdicts: readonly FlagGroup[] = [
  {
    verdict: 'accepted',
    why: 'answers come as JSON, whichever form is asked for',
    flags: 'kube-api-content-type',
  },
  {
    verdict: 'accepted',
    why: 'its own metrics have few labels, whose number is bounded',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'accepted',
    why: 'the kubeconfig that it works with is also the one that it asks who may scrape it',
    flags: 'authentication-kubeconfig authorization-kubeconfig',
  },
  {
    verdict: 'accepted',
    why: 'reviews are kept for 10 seconds',
    flags: `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
      authorization-webhook-cache-unauthorized-ttl`,
  },
  {
    verdict: 'accepted',
    why: 'a certificate that is not given is made in memory, and those of clients are checked as the cluster says',
    flags: 'cert-dir',
  },
  {
    verdict: 'refused',
    why: "whom to believe is read from the cluster's ConfigMap extension-apiserver-authentication",
    flags: `authentication-skip-lookup?=false authentication-tolerate-lookup-failure? client-ca-file requestheader-allowed-names
      requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
      requestheader-username-headers`,
  },
  {
    verdict: 'refused',
    why: "its port for probes and scrapes is Node's, with Node's defaults",
    flags: `disable-http2-serving? http2-max-streams-per-connection permit-address-sharing? permit-port-sharing? tls-cipher-suites
      tls-curve-preferences tls-min-version tls-sni-cert-key`,
  },
  {
    verdict: 'refused',
    why: 'addresses of Services are the business of the API server',
    flags: 'service-cluster-ip-range',
  },
  {
    verdict: 'refused',
    why: 'one authority signs for all signers: --cluster-signing-cert-file',
    flags: `cluster-signing-kube-apiserver-client-cert-file cluster-signing-kube-apiserver-client-key-file
      cluster-signing-kubelet-client-cert-file cluster-signing-kubelet-client-key-file
      cluster-signing-kubelet-serving-cert-file cluster-signing-kubelet-serving-key-file
      cluster-signing-legacy-unknown-cert-file cluster-signing-legacy-unknown-key-file`,
  },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: `authorization-always-allow-paths cluster-signing-cert-file cluster-signing-key-file controllers kube-api-burst
      kube-api-qps kubeconfig leader-elect? leader-elect-lease-duration leader-elect-renew-deadline
      leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace leader-elect-retry-period
      master root-ca-file secure-port service-account-private-key-file tls-cert-file tls-private-key-file
      use-service-account-credentials?`,
  },
];
