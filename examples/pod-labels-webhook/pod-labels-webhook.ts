import { admission, type App, app, extensionServer, Pod } from 'keelson';

const TEAM = 'acme.dev/team';

/** Labels pods with the team of their creator, and rejects images without a version. */
const podLabels = admission(Pod, {
  name: 'labels.pods.acme.dev',
  failurePolicy: 'Fail',
  operations: ['CREATE'],
  mutate(pod, { user }) {
    const team = user.groups.find((group) => group.startsWith('team:'))?.slice('team:'.length) ?? 'none';
    return { ...pod, metadata: { ...pod.metadata, labels: { [TEAM]: team, ...pod.metadata.labels } } };
  },
  validate(pod, { warn }) {
    if (pod.metadata.labels?.[TEAM] === 'none') warn('this pod belongs to no team');
    const latest = pod.spec?.containers.find(({ image = '' }) => image.endsWith(':latest'));
    if (latest !== undefined) return `container "${latest.name}" must name a version of its image, not latest`;
  },
});

export function podLabelsApp(port = 0): App {
  return app('pod-labels-webhook', [], { server: extensionServer({ admission: [podLabels], port }) });
}
