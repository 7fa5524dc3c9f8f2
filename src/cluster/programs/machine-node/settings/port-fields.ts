import {
  accepted,
  duration,
  flag,
  group,
  integer,
  integers,
  OBEYED,
  plainFlag,
  pointedInteger,
  text,
  texts,
} from '../../settings/setting.ts';

const NO_PROFILER = accepted("there is no Go profiler; Node's profilers are options of Node's command line");

/** The node's ports: who may ask, over what, and what is answered. */
export const portFields = {
  enableServer: flag(true, OBEYED, 'enable-server'),
  address: text('0.0.0.0', OBEYED, 'address'),
  port: integer(10_250, OBEYED, 'port'),
  readOnlyPort: integer(0, OBEYED, 'read-only-port'),
  healthzPort: pointedInteger(10_248, OBEYED, 'healthz-port'),
  healthzBindAddress: text('127.0.0.1', OBEYED, 'healthz-bind-address'),
  tlsCertFile: text('', OBEYED, 'tls-cert-file'),
  tlsPrivateKeyFile: text('', OBEYED, 'tls-private-key-file'),
  tlsCipherSuites: texts([], OBEYED, 'tls-cipher-suites'),
  tlsCurvePreferences: integers([], OBEYED),
  tlsMinVersion: text('', OBEYED, 'tls-min-version'),
  rotateCertificates: plainFlag(false, OBEYED, 'rotate-certificates'),
  serverTLSBootstrap: plainFlag(false, OBEYED, 'rotate-server-certificates'),
  authentication: group('KubeletAuthentication', {
    x509: group('KubeletX509Authentication', { clientCAFile: text('', OBEYED, 'client-ca-file') }),
    webhook: group('KubeletWebhookAuthentication', {
      enabled: flag(true, OBEYED, 'authentication-token-webhook'),
      cacheTTL: duration(120_000, OBEYED, 'authentication-token-webhook-cache-ttl'),
    }),
    anonymous: group('KubeletAnonymousAuthentication', { enabled: flag(false, OBEYED, 'anonymous-auth') }),
  }),
  authorization: group('KubeletAuthorization', {
    mode: text('Webhook', OBEYED, 'authorization-mode'),
    webhook: group('KubeletWebhookAuthorization', {
      cacheAuthorizedTTL: duration(300_000, OBEYED, 'authorization-webhook-cache-authorized-ttl'),
      cacheUnauthorizedTTL: duration(30_000, OBEYED, 'authorization-webhook-cache-unauthorized-ttl'),
    }),
  }),
  enableDebuggingHandlers: flag(true, OBEYED, 'enable-debugging-handlers'),
  enableSystemLogHandler: flag(true, OBEYED),
  enableSystemLogQuery: flag(false, OBEYED),
  enableContentionProfiling: plainFlag(false, NO_PROFILER, 'contention-profiling'),
  enableProfilingHandler: flag(true, NO_PROFILER),
  enableDebugFlagsHandler: flag(true, accepted('the verbosity of the log is that of --v')),
  streamingConnectionIdleTimeout: duration(
    14_400_000,
    accepted('connections stay open as long as both ends want them'),
    'streaming-connection-idle-timeout',
  ),
  showHiddenMetricsForVersion: text('', accepted('no metric is hidden')),
};
