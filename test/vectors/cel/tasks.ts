// Expressions the way parts of Kubernetes use them; what comes of them is recorded from Go.

/** One use. Which fields matter depends on `use`; the Go program has the same. */
export interface Task {
  readonly use: 'claims' | 'user' | 'condition' | 'device' | 'rule' | 'policy';
  readonly expr?: string;
  readonly wants?: 'bool' | 'any';
  readonly data?: unknown;
  readonly schema?: unknown;
  readonly isRoot?: boolean;
  readonly messageExpression?: string;
  readonly optionalOldSelf?: boolean;
  readonly variables?: readonly { readonly name: string; readonly expr: string }[];
  readonly conditions?: readonly string[];
  readonly budget?: number;
  readonly hasListAttributes?: boolean;
}

const claims = {
  sub: 'alice',
  email: 'alice@example.com',
  email_verified: true,
  groups: ['dev', 'ops'],
  iat: 1700000000,
  ratio: 0.5,
  nothing: null,
  'dotted.name': 'x',
  nested: { roles: [{ name: 'admin' }], level: 3 },
};

const claimExpressions = [
  'claims.sub',
  'claims.email_verified && claims.email.endsWith("@example.com")',
  'claims.groups.exists(g, g == "ops")',
  'claims.groups.map(g, "oidc:" + g)',
  'claims.iat > 1600000000',
  'claims.iat + 1.0',
  'claims.iat + 1',
  'type(claims.iat)',
  'claims.ratio < 1',
  'claims.missing',
  'claims.?missing.orValue("none")',
  'has(claims.email) ? claims.email : claims.sub',
  'has(claims.missing)',
  '"sub" in claims',
  '"missing" in claims',
  'claims.nothing == null',
  'claims.dotted__dot__name',
  'claims["dotted.name"]',
  'claims.nested.roles[0].name',
  'claims.nested.level == 3.0',
  'claims.nested.roles.all(r, r.name != "")',
  'claims.sub +',
  'user.username',
  'claims.sub.foo()',
  'size(claims.groups)',
  'claims.groups',
  '[claims.sub, claims.email]',
  'claims.sub.matches("^[a-z]+$")',
  'duration("1h") > duration("30m")',
  'claims.email.split("@")[1]',
  'string(claims.iat)',
  'int(claims.iat)',
  'claims.sub.lowerAscii() == "ALICE".lowerAscii()',
  'claims.nested',
  'dyn(claims.nested).roles.size()',
];

const user = {
  username: 'system:serviceaccount:default:builder',
  uid: 'abc',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'example.com/tenant': ['acme'], plain: ['a', 'b'] },
};

const userExpressions = [
  'user.username.startsWith("system:")',
  '!user.username.startsWith("system:")',
  'user.groups.all(g, !g.startsWith("evil:"))',
  'user.extra["example.com/tenant"][0] == "acme"',
  'user.extra.plain == ["a", "b"]',
  'has(user.extra.missing)',
  'user.uid == ""',
  'user.nothing == ""',
  'user.username',
  'size(user.extra)',
  '"plain" in user.extra',
  'user.extra.all(k, user.extra[k].size() > 0)',
  'claims.sub == ""',
];

const review = {
  user: 'bob',
  groups: ['dev'],
  uid: 'u1',
  extra: { 'example.com/x': ['1'] },
  resourceAttributes: {
    namespace: 'kube-system',
    verb: 'list',
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] },
    labelSelector: { rawSelector: 'a=b' },
  },
};

const nonResourceReview = { user: 'bob', nonResourceAttributes: { path: '/healthz', verb: 'get' } };

const conditionExpressions = [
  'has(request.resourceAttributes)',
  'has(request.nonResourceAttributes)',
  'request.resourceAttributes.namespace == "kube-system"',
  'request.resourceAttributes.verb in ["get", "list"]',
  '!("system:masters" in request.groups)',
  'request.user != "system:admin"',
  'has(request.resourceAttributes) && request.resourceAttributes.namespace.startsWith("kube-")',
  'request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == "spec.nodeName" && "n1" in r.values)',
  'request.resourceAttributes.?labelSelector.rawSelector.orValue("") == "a=b"',
  'has(request.resourceAttributes.labelSelector.requirements)',
  'request.nonResourceAttributes.path.startsWith("/healthz")',
  'request.extra["example.com/x"] == ["1"]',
  'request.resourceAttributes.subresource == ""',
  'request.resourceAttributes.nothing == ""',
  'request.user',
  'request.user == 1',
  'request.uid == "u1"',
  'request.resourceAttributes.name == "x" || 1 / 0 == 1',
];

const device = {
  driver: 'dra.example.com',
  allowMultipleAllocations: true,
  attributes: {
    model: { string: 'A100' },
    healthy: { bool: true },
    cores: { int: 8 },
    'other.example.com/cores': { int: 4 },
    driverVersion: { version: '1.2.3' },
  },
  capacity: { memory: { value: '80Gi' }, 'other.example.com/slots': { value: '4' } },
};

const deviceExpressions = [
  'device.driver == "dra.example.com"',
  'device.attributes["dra.example.com"].model == "A100"',
  'device.attributes["dra.example.com"].healthy',
  'device.attributes["dra.example.com"].cores >= 8',
  'device.attributes["other.example.com"].cores > 2',
  'device.attributes["missing.example.com"].cores > 2',
  'has(device.attributes["missing.example.com"].cores)',
  '"missing.example.com" in device.attributes',
  '"dra.example.com" in device.attributes',
  'device.attributes["dra.example.com"].driverVersion.isGreaterThan(semver("1.0.0"))',
  'device.attributes["dra.example.com"].?cores.orValue(0) == 8',
  'device.capacity["dra.example.com"].memory.compareTo(quantity("40Gi")) >= 0',
  'device.capacity["dra.example.com"].memory.isGreaterThan(quantity("100Gi"))',
  'device.capacity["other.example.com"].slots == quantity("4")',
  'device.capacity["dra.example.com"].nothing == quantity("4")',
  'cel.bind(dra, device.attributes["dra.example.com"], dra.healthy && dra.model == "A100")',
  'device.allowMultipleAllocations',
  'device.attributes["dra.example.com"].cores',
  'device.attributes["dra.example.com"].model',
  'device.attributes["dra.example.com"].driverVersion',
  'device.driver',
  'device.capacity',
  'device.attributes.all(d, device.attributes[d].size() > 0)',
  'device.attributes["dra.example.com"].all(k, k.size() < 100)',
  'device.attributes["dra.example.com"].model.matches("^A")',
  'device.attributes["dra.example.com"].model.lowerAscii().contains("a1")',
  'device.attributes["dra.example.com"].model.lowerAscii().lowerAscii().contains("a1")',
  'device.nothing',
  'device.driver ==',
  'device.attributes["dra.example.com"].cores + 1 == 9',
  'device.attributes["dra.example.com"].cores.includes(8)',
  'device.attributes["other.example.com"].exists(k, v, k == "cores" && v == 4)',
  'size(device.attributes) == 2',
  'size(device.capacity["dra.example.com"]) == 1',
];

const listDevice = {
  ...device,
  attributes: {
    ...device.attributes,
    zones: { strings: ['a', 'b'] },
    ports: { ints: [1, 2, 3] },
    flags: { bools: [true, false] },
    versions: { versions: ['1.0.0', '2.0.0'] },
  },
};

const listDeviceExpressions = [
  'device.attributes["dra.example.com"].zones.includes("a")',
  'device.attributes["dra.example.com"].zones.includes("c")',
  'device.attributes["dra.example.com"].model.includes("A100")',
  'device.attributes["dra.example.com"].ports.exists(p, p > 2)',
  'device.attributes["dra.example.com"].versions.includes(semver("2.0.0"))',
  'device.attributes["dra.example.com"].flags == [true, false]',
  'device.attributes["dra.example.com"].zones',
  'device.attributes["dra.example.com"].healthy',
  'lists.range(60).includes(70)',
  'lists.range(60).includes(3)',
  'device.attributes["dra.example.com"].model + "x"',
];

const widget = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['replicas'],
      properties: {
        replicas: { type: 'integer' },
        limit: { type: 'integer', default: 5 },
        name: { type: 'string', maxLength: 20 },
        tags: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port: { type: 'integer' } },
          },
        },
        free: { type: 'array', items: { type: 'string' } },
      },
    },
  },
};

const widgets = {
  self: {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    spec: { replicas: 3, limit: 5, name: 'web', tags: ['a', 'b'], ports: [{ name: 'http', port: 80 }], free: ['x'] },
  },
  oldSelf: {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    spec: { replicas: 2, limit: 5, name: 'web', ports: [{ name: 'http', port: 8080 }] },
  },
};

const rules: readonly Omit<Task, 'use'>[] = [
  { expr: 'self.spec.replicas <= self.spec.limit' },
  { expr: 'self.spec.replicas >= oldSelf.spec.replicas' },
  { expr: 'self.spec.replicas' },
  { expr: '   ' },
  { expr: 'self.spec.replicas <= ' },
  { expr: 'self.spec.nothing == 1' },
  { expr: 'self.metadata.name == "w"' },
  { expr: 'self.metadata.labels.size() == 0' },
  { expr: 'self.spec.tags.all(t, t.size() < 5)' },
  { expr: 'self.spec.free.all(a, self.spec.free.all(b, a == b))' },
  { expr: 'self.spec.ports == oldSelf.spec.ports' },
  { expr: 'self.spec.ports.all(p, oldSelf.spec.ports.exists(q, q.name == p.name))' },
  { expr: 'self.spec.replicas <= 2', messageExpression: '"replicas is " + string(self.spec.replicas)' },
  { expr: 'self.spec.replicas <= 2', messageExpression: 'self.spec.replicas' },
  { expr: 'self.spec.replicas <= 2', messageExpression: 'self.spec.' },
  { expr: 'self.spec.replicas <= 2', messageExpression: 'self.spec.tags[7]' },
  { expr: 'self.spec.name.matches("[")' },
  { expr: 'self.spec.name.matches(self.spec.tags[0])' },
  { expr: 'self.spec.tags[9] == ""' },
  { expr: '!oldSelf.hasValue() || oldSelf.value().spec.replicas <= self.spec.replicas', optionalOldSelf: true },
  { expr: 'oldSelf.spec.replicas <= self.spec.replicas', optionalOldSelf: true },
  { expr: 'oldSelf.?spec.replicas.orValue(0) < self.spec.replicas', optionalOldSelf: true },
  { expr: '[1, 2].all(oldSelf, oldSelf > 0)' },
  { expr: 'self.spec.free.join(",").size() < 100' },
  { expr: 'self.spec.free.map(x, x + "y").exists(x, x == "xy")' },
  { expr: 'has(self.spec.name) && self.spec.name.startsWith("w")' },
];

const configMap = {
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', labels: { app: 'web' } },
    data: { replicas: '3', mode: 'fast' },
  },
  params: { limit: 5, modes: ['fast', 'slow'] },
};

const policies: readonly Omit<Task, 'use' | 'data'>[] = [
  { conditions: ['object.data.mode in params.modes', 'object.metadata.name == "web"'], budget: 1000 },
  { conditions: ['object.data.missing == ""', 'true'], budget: 1000 },
  { conditions: ['object.data', '1 +', 'object.data.mode == "fast"'], budget: 1000 },
  {
    variables: [
      { name: 'replicas', expr: 'int(object.data.replicas)' },
      { name: 'isLarge', expr: 'variables.replicas > params.limit' },
      { name: 'modes', expr: 'params.modes.map(m, m.upperAscii())' },
    ],
    conditions: [
      '!variables.isLarge',
      'variables.replicas == 3',
      '"FAST" in variables.modes',
      'variables.replicas + 1 == 4',
    ],
    budget: 1000,
  },
  {
    variables: [
      { name: 'broken', expr: 'object.data.' },
      { name: 'failing', expr: 'object.data.missing.size()' },
    ],
    conditions: [
      'variables.broken == 1',
      'variables.failing == 1',
      'variables.failing == 1 || true',
      'variables.unknown',
    ],
    budget: 1000,
  },
  {
    variables: [
      { name: 'typed', expr: '1' },
      { name: 'optional', expr: 'object.?data' },
      { name: 'pair', expr: '{"a": [1]}' },
    ],
    conditions: [
      'variables.typed == "x"',
      'variables.optional.hasValue()',
      'variables.optional.mode.orValue("") == "fast"',
      'variables.pair.a == [1]',
      'variables.pair["a"] == ["x"]',
    ],
    budget: 1000,
  },
  {
    variables: [{ name: 'costly', expr: 'lists.range(100).map(x, x * 2).sum()' }],
    conditions: ['variables.costly > 0', 'variables.costly > 1', 'variables.costly > 2'],
    budget: 2000,
  },
  {
    variables: [{ name: 'costly', expr: 'lists.range(100).map(x, x * 2).sum()' }],
    conditions: ['variables.costly > 0'],
    budget: 100,
  },
  { conditions: ['lists.range(100).exists(x, x == 99)', 'true'], budget: 50 },
  { conditions: ['lists.range(100000).all(x, lists.range(100).all(y, x + y > -1))'], budget: 10_000_000 },
  {
    variables: [{ name: 'name', expr: 'object.metadata.name' }],
    conditions: [
      'variables',
      'variables.name',
      'has(variables.name)',
      '"name" in dyn(variables)',
      'size(dyn(variables))',
    ],
    wants: 'any',
    budget: 1000,
  },
];

/** All tasks, in the order of the recorded outcomes. */
export const tasks: readonly Task[] = [
  ...claimExpressions.map((expr): Task => ({ use: 'claims', expr, data: claims })),
  ...claimExpressions.slice(0, 8).map((expr): Task => ({ use: 'claims', expr, wants: 'bool', data: claims })),
  ...userExpressions.map((expr): Task => ({ use: 'user', expr, wants: 'bool', data: user })),
  ...conditionExpressions.map((expr): Task => ({ use: 'condition', expr, data: review })),
  ...conditionExpressions.map((expr): Task => ({ use: 'condition', expr, data: nonResourceReview })),
  ...deviceExpressions.map((expr): Task => ({ use: 'device', expr, data: device })),
  ...[...deviceExpressions, ...listDeviceExpressions].map((expr): Task => ({
    use: 'device',
    expr,
    data: listDevice,
    hasListAttributes: true,
  })),
  { use: 'device', expr: 'true', data: { driver: 'd', attributes: { x: {} } } },
  { use: 'device', expr: 'true', data: { driver: 'd', attributes: { x: { version: '1.x' } } } },
  { use: 'device', expr: 'true', data: { driver: 'd', attributes: { x: { strings: ['a'] } } } },
  ...rules.map((rule): Task => ({ use: 'rule', schema: widget, isRoot: true, data: widgets, ...rule })),
  ...rules
    .slice(19, 22)
    .map((rule): Task => ({ use: 'rule', schema: widget, isRoot: true, data: { self: widgets.self }, ...rule })),
  ...policies.map((policy): Task => ({ use: 'policy', data: configMap, ...policy })),
];
