/** Packages of one Go module whose tests start a control plane with envtest. */
export interface Suite {
  readonly name: string;
  /** A published module, from the Go module proxy; the operator in `programs/envtest` when left out. */
  readonly module?: string;
  readonly version?: string;
  readonly packages: readonly string[];
  /** Tests that end now one way and now the other on both, with the reason: the end of their name, or all of it. */
  readonly racing?: Readonly<Record<string, string>>;
}

/** What is run on both, in this order. */
export const suites: readonly Suite[] = [
  { name: 'operator of this repository', packages: ['internal/controller'] },
  {
    name: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.24.1',
    packages: [
      'pkg/client',
      'pkg/cache',
      'pkg/builder',
      'pkg/envtest',
      'pkg/webhook',
      'pkg/controller',
      'pkg/source',
      'pkg/handler',
      'pkg/cluster',
      'pkg/manager',
      'pkg/manager/internal/integration',
      'pkg/controller/controllerutil',
      'pkg/internal/recorder',
      'pkg/internal/controller',
      'pkg/internal/testing/controlplane',
      'pkg/metrics/filters',
      'pkg/reconcile',
    ],
  },
  {
    name: 'jobset',
    module: 'sigs.k8s.io/jobset',
    version: 'v0.12.0',
    packages: ['test/integration/webhook', 'test/integration/controller'],
    racing: {
      'rejects updates to parallelism and completions':
        'nothing in that suite refuses the update, so that it fails only when the controller happens to write the object between the read and the update; alone, the test fails on Kubernetes too',
      TestAPIs: 'the Go function around the test above',
    },
  },
  {
    name: 'lws',
    module: 'sigs.k8s.io/lws',
    version: 'v0.9.0',
    packages: ['test/integration/webhooks', 'test/integration/controllers'],
  },
  {
    name: 'opentelemetry-operator',
    module: 'github.com/open-telemetry/opentelemetry-operator',
    version: 'v0.136.0',
    packages: [
      'internal/controllers',
      'internal/webhook/podmutation',
      'internal/instrumentation',
      'internal/instrumentation/upgrade',
      'pkg/collector/upgrade',
    ],
  },
];
