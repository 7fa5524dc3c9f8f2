import type { FlagGroup } from './upstream-flag.ts';

/** What kube-controller-manager and kube-scheduler have in common: they are programs that serve, log and connect. */
export const sharedVerdicts: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: 'applies to the whole process, which has one port and one log',
    flags: 'bind-address help? http2-max-streams-per-connection logging-format v',
  },
  {
    verdict: 'accepted',
    why: 'it runs in the API server’s process and calls it without a network, so there is no rate limit and no encoding',
    flags: 'kube-api-burst kube-api-content-type kube-api-qps',
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
    why: 'its metrics are exposed by the API server, which limits the number of series',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'accepted',
    why: 'an embedded store has one process and needs no election; on etcd, processes always elect a leader with the leases of upstream',
    flags: 'leader-elect? leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace',
  },
  {
    verdict: 'obeyed',
    why: 'as upstream',
    flags: 'leader-elect-lease-duration leader-elect-renew-deadline leader-elect-retry-period',
  },
  {
    verdict: 'refused',
    why: 'it has no separate port: the API server authorizes probes and scrapes',
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
    why: 'it works on the API server in its process; to change that, run the program separately with "keelson apiserver"',
    flags: 'kubeconfig master',
  },
  {
    verdict: 'refused',
    why: 'the server implements Kubernetes 1.36 with its default features',
    flags: 'emulated-version=1.36 feature-gates min-compatibility-version=1.35',
  },
  { verdict: 'refused', why: 'all metrics are shown', flags: 'disabled-metrics' },
  { verdict: 'refused', why: 'use "keelson version"', flags: 'version' },
];

/** What differs where the program runs alone. */
export const standaloneVerdicts: readonly FlagGroup[] = [
  {
    verdict: 'obeyed',
    why: "prints Kubernetes' version, with Keelson's own after the plus; a version as value is checked only",
    flags: 'version',
  },
  {
    verdict: 'accepted',
    why: 'responses are always JSON',
    flags: 'kube-api-content-type',
  },
  {
    verdict: 'accepted',
    why: 'its metrics have few labels, with a limited number of series',
    flags: 'allow-metric-labels allow-metric-labels-manifest show-hidden-metrics-for-version',
  },
  {
    verdict: 'accepted',
    why: 'its kubeconfig is also used to authorize scrapes',
    flags: 'authentication-kubeconfig authorization-kubeconfig',
  },
  {
    verdict: 'accepted',
    why: 'reviews are cached for 10 seconds',
    flags: `authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
      authorization-webhook-cache-unauthorized-ttl`,
  },
  {
    verdict: 'accepted',
    why: 'without a certificate one is generated in memory; client certificates are verified with the authorities that the cluster publishes',
    flags: 'cert-dir',
  },
  {
    verdict: 'refused',
    why: "trusted authorities are read from the cluster's ConfigMap extension-apiserver-authentication",
    flags: `authentication-skip-lookup?=false authentication-tolerate-lookup-failure? client-ca-file requestheader-allowed-names
      requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
      requestheader-username-headers`,
  },
  {
    verdict: 'refused',
    why: "its port for probes and metrics uses Node's HTTP server with Node's defaults",
    flags: `disable-http2-serving? http2-max-streams-per-connection permit-address-sharing? permit-port-sharing? tls-cipher-suites
      tls-curve-preferences tls-min-version tls-sni-cert-key`,
  },
  {
    verdict: 'refused',
    why: 'the API server allocates addresses of Services',
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
