import { readFile } from 'node:fs/promises';
import { credentialProvider } from 'keelson/credentials';

/** Credentials of a file, `NAMESPACE/ACCOUNT: USER:PASSWORD` a line, for the service accounts of pods: no Secret in any namespace. */
export const registryCredentials = (path: string): ReturnType<typeof credentialProvider> =>
  credentialProvider({
    name: 'registry-credentials',
    async get({ account }) {
      if (account === undefined) return undefined;
      const owner = `${account.namespace}/${account.name}: `;
      const line = (await readFile(path, 'utf8')).split('\n').find((each) => each.startsWith(owner));
      const [username = '', password = ''] = line?.slice(owner.length).split(':') ?? [];
      return line === undefined ? undefined : { username, password, cacheFor: '10m', cacheBy: 'registry' };
    },
  });
