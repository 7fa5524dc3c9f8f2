import { messageOf } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { DashboardInfo } from '../protocol.ts';
import type { Endpoint } from './endpoint.ts';

interface SelfReview {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
}

/** `/keelson/info`: the cluster, the viewer, and what there is to see. */
export const info: Endpoint = async ({ viewer: state, settings, session, signal }): Promise<DashboardInfo> => {
  const { viewer } = state;
  const { client } = viewer;
  const [{ gitVersion }, who, past, canSeeRequests] = await Promise.all([
    client.apis.version({ signal }),
    whoAmI(),
    state.past(signal),
    client.text('/keelson/requests?after=999999999999999', { signal, accept: 'application/json' }).then(
      () => true,
      () => false,
    ),
    recordRuns(client),
  ]);
  return {
    clusterName: settings.clusterName,
    serverVersion: gitVersion,
    isKeelson: gitVersion.includes('+keelson'),
    isReadOnly: settings.isReadOnly === true,
    canSeePast: past !== undefined,
    canStep: settings.time !== undefined && settings.isReadOnly !== true,
    ...(settings.walks === undefined ? {} : { canLearn: true }),
    canSeeRequests,
    canForward: settings.key !== undefined && settings.isReadOnly !== true,
    ...who,
    namespace: viewer.namespace,
    ...(past === undefined ? {} : { since: past.since.time }),
    protocol: 1,
    session,
  };

  /** Absent where the server does not say. */
  async function whoAmI(): Promise<Pick<DashboardInfo, 'user' | 'groups'>> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    try {
      const { status } = (await client.request({ method: 'POST', path, body, signal })) as SelfReview;
      const { username, groups } = status?.userInfo ?? {};
      return { ...(username === undefined ? {} : { user: username }), ...(groups === undefined ? {} : { groups }) };
    } catch (error) {
      settings.log.debug('the viewer is unknown', { error: messageOf(error) });
      return {};
    }
  }
};

/** Asks for runs of controllers, which are recorded from the first request for them on. */
async function recordRuns(client: Client): Promise<void> {
  const path = '/keelson/runs?after=999999999999999';
  await client.text(path, { accept: 'application/json' }).catch(() => undefined); // other servers have none
}
