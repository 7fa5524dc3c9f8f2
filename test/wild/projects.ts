/** A project whose published definitions are tried. */
export interface Project {
  readonly name: string;
  readonly source: GoSource | JavaSource;
}

/** Definitions that are files of a Go module. */
export interface GoSource {
  readonly type: 'go';
  readonly module: string;
  readonly version: string;
  /** Files or folders of the module with definitions. */
  readonly definitions: readonly string[];
}

/** Definitions that the project's own generator makes from its classes, as its build does. */
export interface JavaSource {
  readonly type: 'maven';
  readonly version: string;
  readonly artifacts: readonly string[];
  readonly generator: string;
  readonly classes: readonly string[];
}

export const projects: readonly Project[] = [
  go('cert-manager', 'github.com/cert-manager/cert-manager@v1.21.2', ['deploy/crds']),
  go('Gateway API', 'sigs.k8s.io/gateway-api@v1.4.0', ['config/crd/experimental']),
  go('Prometheus operator', 'github.com/prometheus-operator/prometheus-operator@v0.85.0', [
    'example/prometheus-operator-crd-full',
  ]),
  go('Argo CD', 'github.com/argoproj/argo-cd/v3@v3.5.6', ['manifests/crds']),
  go('Crossplane', 'github.com/crossplane/crossplane@v1.20.0', ['cluster/crds']),
  go('Istio', 'istio.io/api@v1.31.1', ['kubernetes/customresourcedefinitions.gen.yaml']),
  go('Cluster API', 'sigs.k8s.io/cluster-api@v1.14.2', ['core/config/crd/bases']),
  go('Knative Serving', 'knative.dev/serving@v0.42.2', ['config/core/300-resources']),
  go('Kyverno', 'github.com/kyverno/kyverno@v1.19.1', ['config/crds']),
  go('Tekton Pipelines', 'github.com/tektoncd/pipeline@v1.0.0', ['config/300-crds']),
  {
    name: 'Strimzi',
    source: {
      type: 'maven',
      version: '0.45.0',
      artifacts: ['io.strimzi:crd-generator', 'io.strimzi:api'],
      generator: 'io.strimzi.crdgenerator.CrdGenerator',
      classes: [
        'kafka.Kafka',
        'connect.KafkaConnect',
        'topic.KafkaTopic',
        'user.KafkaUser',
        'mirrormaker.KafkaMirrorMaker',
        'bridge.KafkaBridge',
        'connector.KafkaConnector',
        'mirrormaker2.KafkaMirrorMaker2',
        'rebalance.KafkaRebalance',
        'nodepool.KafkaNodePool',
        'podset.StrimziPodSet',
      ].map((name) => `io.strimzi.api.kafka.model.${name}`),
    },
  },
];

function go(name: string, moduleVersion: string, definitions: readonly string[]): Project {
  const [module = '', version = ''] = moduleVersion.split('@');
  return { name, source: { type: 'go', module, version, definitions } };
}
