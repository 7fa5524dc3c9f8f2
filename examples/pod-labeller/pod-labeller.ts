import { type App, app, controller, keyOf, mergePatch, Node, Pod, podsByNode, watch } from 'keelson';

const ZONE = 'topology.kubernetes.io/zone';

/** Labels every pod with the zone of the node it runs on. */
const podLabeller = controller(Pod, {
  name: 'pod-labeller',
  watches: [
    watch(Node, { to: (node, { objects }) => objects(Pod).byIndex(podsByNode, node.metadata.name).map(keyOf) }),
  ],
  async reconcile(pod, { key, objects }) {
    const zone = objects(Node).get(pod.spec?.nodeName ?? '')?.metadata.labels?.[ZONE];
    if (zone === undefined || zone === pod.metadata.labels?.[ZONE]) return;
    await objects(Pod).patch(key, mergePatch({ metadata: { labels: { [ZONE]: zone } } }));
  },
});

export const labeller = (): App => app('pod-labeller', [podLabeller]);
