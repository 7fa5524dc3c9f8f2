import { type Case, changes, version } from './base-definition.ts';

const LONG = 'a'.repeat(64);

export const nameCases: readonly Case[] = [
  ...changes('names', {
    'nothing is wrong': () => {},
    'the name is another': (d) => void (d.metadata.name = 'other.example.com'),
    'the name is no subdomain': (d) => void (d.metadata.name = 'Widgets_example'),
    'no name': (d) => void (d.metadata.name = ''),
    'no group': (d) => void (d.spec.group = ''),
    'a group without a dot': (d) => {
      d.spec.group = 'example';
      d.metadata.name = 'widgets.example';
    },
    'a group that is no domain': (d) => void (d.spec.group = 'Example_.com'),
    'no scope': (d) => void delete d.spec.scope,
    'an unknown scope': (d) => void (d.spec.scope = 'Galactic'),
    'cluster scope': (d) => void (d.spec.scope = 'Cluster'),
    'no names': (d) => void (d.spec.names = {}),
    'names left out': (d) => void delete d.spec.names,
    'no plural': (d) => void (d.spec.names.plural = ''),
    'a plural in capitals': (d) => {
      d.spec.names.plural = 'Widgets';
      d.metadata.name = 'Widgets.example.com';
    },
    'a plural that is too long': (d) => {
      d.spec.names.plural = LONG;
      d.metadata.name = `${LONG}.example.com`;
    },
    'a plural that begins with a digit': (d) => {
      d.spec.names.plural = '1widgets';
      d.metadata.name = '1widgets.example.com';
    },
    'no singular': (d) => void delete d.spec.names.singular,
    'a bad singular': (d) => void (d.spec.names.singular = 'wid.get'),
    'no kind': (d) => void delete d.spec.names.kind,
    'a bad kind': (d) => void (d.spec.names.kind = 'Wid.get'),
    'a kind with a space': (d) => void (d.spec.names.kind = 'Wid get'),
    'no list kind': (d) => void delete d.spec.names.listKind,
    'a bad list kind': (d) => void (d.spec.names.listKind = 'Widget_List'),
    'the list kind is the kind': (d) => void (d.spec.names.listKind = 'Widget'),
    'kind and list kind are bad and the same': (d) => {
      d.spec.names.kind = 'A_';
      d.spec.names.listKind = 'A_';
    },
    'short names': (d) => void (d.spec.names.shortNames = ['wd', 'w']),
    'bad short names': (d) => void (d.spec.names.shortNames = ['wd', 'W', '', 'a.b']),
    'duplicate short names': (d) => void (d.spec.names.shortNames = ['wd', 'wd']),
    categories: (d) => void (d.spec.names.categories = ['all', 'all']),
    'bad categories': (d) => void (d.spec.names.categories = ['All', '-']),
    'no spec': (d) => void delete d.spec,
    'an empty spec': (d) => void (d.spec = {}),
    'a status that is sent along': (d) => {
      d.status = { acceptedNames: { plural: 'A_', kind: 'B_' }, storedVersions: ['v9'], conditions: [] };
    },
    labels: (d) => void (d.metadata.labels = { 'a b': 'c' }),
    finalizers: (d) => void (d.metadata.finalizers = ['no qualified name']),
    'a namespace': (d) => void (d.metadata.namespace = 'default'),
    'a built-in group': (d) => {
      d.spec.group = 'apps';
      d.metadata.name = 'widgets.apps';
    },
    'a protected group': (d) => {
      d.spec.group = 'rbac.authorization.k8s.io';
      d.metadata.name = 'widgets.rbac.authorization.k8s.io';
    },
    'a protected group with approval': (d) => {
      d.spec.group = 'k8s.io';
      d.metadata = {
        name: 'widgets.k8s.io',
        annotations: { 'api-approved.kubernetes.io': 'https://github.com/x/y/pull/1' },
      };
    },
    'a protected group without approval, and says so': (d) => {
      d.spec.group = 'sub.kubernetes.io';
      d.metadata = {
        name: 'widgets.sub.kubernetes.io',
        annotations: { 'api-approved.kubernetes.io': 'unapproved, test' },
      };
    },
    'a protected group with nonsense': (d) => {
      d.spec.group = 'sub.kubernetes.io';
      d.metadata = { name: 'widgets.sub.kubernetes.io', annotations: { 'api-approved.kubernetes.io': '/pull/1' } };
    },
    'a protected group with an opaque URL': (d) => {
      d.spec.group = 'sub.kubernetes.io';
      d.metadata = { name: 'widgets.sub.kubernetes.io', annotations: { 'api-approved.kubernetes.io': 'mailto:a@b' } };
    },
    'names of a built-in resource': (d) => {
      d.spec.group = 'apps.example.com';
      d.spec.names = { plural: 'deployments', kind: 'Deployment' };
      d.metadata.name = 'deployments.apps.example.com';
    },
  }),
  ...changes('versions', {
    'no versions': (d) => void (d.spec.versions = []),
    'versions left out': (d) => void delete d.spec.versions,
    'a version without a name': (d) => void (d.spec.versions[0].name = ''),
    'a version with a bad name': (d) => void (d.spec.versions[0].name = 'V1'),
    'a version that begins with a digit': (d) => void (d.spec.versions[0].name = '1v'),
    'a version that is no version': (d) => void (d.spec.versions[0].name = 'stable'),
    'two of the same name': (d) => void d.spec.versions.push(version('v1')),
    'two of the same name with other schemas': (d) =>
      void d.spec.versions.push(version('v1', { schema: { openAPIV3Schema: { type: 'object' } } })),
    'two that are stored': (d) => void d.spec.versions.push(version('v2', { storage: true })),
    'none that is stored': (d) => void (d.spec.versions[0].storage = false),
    'none that is served': (d) => void (d.spec.versions[0].served = false),
    'two versions': (d) => void d.spec.versions.push(version('v2')),
    'two versions, one without a schema': (d) => void d.spec.versions.push(version('v2', { schema: undefined })),
    'two versions with different parts': (d) =>
      void d.spec.versions.push(
        version('v2', {
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.b' } },
          additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
        }),
      ),
    'no schema': (d) => void delete d.spec.versions[0].schema,
    'an empty validation': (d) => void (d.spec.versions[0].schema = {}),
    'an empty schema': (d) => void (d.spec.versions[0].schema = { openAPIV3Schema: {} }),
    'a deprecated version': (d) => void (d.spec.versions[0].deprecated = true),
    'a deprecated version with a warning': (d) =>
      void Object.assign(d.spec.versions[0], { deprecated: true, deprecationWarning: 'use <v2> & "more"' }),
    'a warning without deprecation': (d) => void (d.spec.versions[0].deprecationWarning = 'use v2'),
    'an empty warning': (d) => void Object.assign(d.spec.versions[0], { deprecated: true, deprecationWarning: '' }),
    'a long warning': (d) =>
      void Object.assign(d.spec.versions[0], { deprecated: true, deprecationWarning: 'x'.repeat(257) }),
    'a long warning in few characters': (d) =>
      void Object.assign(d.spec.versions[0], { deprecated: true, deprecationWarning: 'é'.repeat(129) }),
    'a warning with a line break': (d) =>
      void Object.assign(d.spec.versions[0], { deprecated: true, deprecationWarning: 'é\nb' }),
    'a warning with a no-break space': (d) =>
      void Object.assign(d.spec.versions[0], { deprecated: true, deprecationWarning: 'a\u00a0b' }),
    'unknown fields are preserved': (d) => void (d.spec.preserveUnknownFields = true),
    'unknown fields are preserved, without a schema': (d) => {
      d.spec.preserveUnknownFields = true;
      delete d.spec.versions[0].schema;
    },
    'unknown fields are not preserved': (d) => void (d.spec.preserveUnknownFields = false),
    'a field that does not exist': (d) => void (d.spec.validation = {}),
    'a field of the wrong type': (d) => void (d.spec.versions[0].served = 'yes'),
  }),
];
