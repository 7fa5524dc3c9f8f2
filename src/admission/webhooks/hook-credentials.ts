import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type ConfigurationKind, fieldErrorText, invalidValue, readConfiguration, TEXT } from '../../api/index.ts';
import { type WebhookClient, WebhookUsers } from '../../apiserver/index.ts';
import { refuseStaticManifests } from '../static-manifests.ts';

const CONFIGURATION: ConfigurationKind = {
  group: 'apiserver.config.k8s.io',
  kind: 'WebhookAdmissionConfiguration',
  versions: ['v1'],
  fields: () => ({ kubeConfigFile: TEXT, staticManifestsDir: TEXT }),
};

interface WebhookAdmission {
  readonly kubeConfigFile?: string;
  readonly staticManifestsDir?: string;
}

/** The client with the credentials of a WebhookAdmissionConfiguration; unchanged without one. */
export function identified(client: WebhookClient, configuration: string | undefined): WebhookClient {
  if (configuration === undefined) return client;
  const read = readConfiguration<WebhookAdmission>(configuration, [CONFIGURATION], { isStrict: true });
  const { kubeConfigFile: path = '', staticManifestsDir } = read;
  if (path !== '' && !isAbsolute(path))
    throw new Error(fieldErrorText(invalidValue('kubeConfigFile', path, 'must be an absolute file path')));
  refuseStaticManifests(staticManifestsDir);
  if (path === '') return client;
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new Error(`stat ${path}: no such file or directory`);
  const users = new WebhookUsers(path);
  return client.as((hostAndPort) => users.credentialFor(hostAndPort));
}
