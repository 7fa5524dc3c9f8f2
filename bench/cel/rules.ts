import type { Question } from '../../test/vectors/cel/go-oracle.ts';

export interface Rule extends Question {
  readonly what: string;
}

/** What people write into custom resources and policies. */
export const rules: readonly Rule[] = [
  { what: 'compare two fields', world: 'crd', expr: 'self.spec.replicas <= self.spec.maxReplicas' },
  {
    what: 'three bounds',
    world: 'crd',
    expr: 'self.spec.minReplicas <= self.spec.replicas && self.spec.replicas <= self.spec.maxReplicas && self.spec.maxReplicas < 100',
  },
  { what: 'immutable field', world: 'crd', expr: 'self.spec.storageClass == oldSelf.spec.storageClass' },
  {
    what: 'optional field with a default',
    world: 'crd',
    expr: "has(self.spec.size) ? self.spec.size.endsWith('Gi') : true",
  },
  {
    what: 'regular expression',
    world: 'crd',
    expr: "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
  },
  {
    what: 'every element',
    world: 'crd',
    expr: 'self.spec.backends.all(b, b.weight >= 0 && b.port > 0 && b.port < 65536)',
  },
  {
    what: 'unique names (a loop in a loop)',
    world: 'crd',
    expr: 'self.spec.backends.all(x, self.spec.backends.exists_one(y, x.name == y.name))',
  },
  { what: 'sum of a list', world: 'crd', expr: 'self.spec.backends.map(b, b.weight).sum() == 100' },
  { what: 'quantity', world: 'crd', expr: "quantity(self.spec.size).isLessThan(quantity('100Gi'))" },
  {
    what: 'networks',
    world: 'crd',
    expr: "self.spec.cidrs.all(c, cidr(c).containsIP('10.1.2.3') || cidr(c).prefixLength() >= 16)",
  },
  { what: 'keys of a map', world: 'crd', expr: "self.spec.labels.all(k, k.size() <= 63 && !k.startsWith('x-'))" },
  { what: 'message', world: 'crd', expr: "'replicas must be at most %d'.format([self.spec.maxReplicas])" },
  { what: 'policy: limit from parameters', world: 'policy', expr: 'object.spec.replicas <= params.maxReplicas' },
  {
    what: 'policy: no privileged containers',
    world: 'policy',
    expr: 'object.spec.template.spec.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || !c.securityContext.privileged)',
  },
  {
    what: 'policy: images from known registries',
    world: 'policy',
    expr: 'object.spec.template.spec.containers.all(c, params.registries.exists(r, c.image.startsWith(r)))',
  },
  {
    what: 'policy: required labels',
    world: 'policy',
    expr: "['app.kubernetes.io/name', 'app.kubernetes.io/part-of', 'team'].all(l, l in object.metadata.labels)",
  },
  {
    what: 'policy: optional chain',
    world: 'policy',
    expr: "object.metadata.?annotations['example.com/owner'].orValue('') != ''",
  },
  {
    what: 'policy: who and where',
    world: 'policy',
    expr: "namespaceObject.metadata.labels['environment'] != 'production' || request.userInfo.groups.exists(g, g == 'dev')",
  },
];
