// A credential provider of the kit that notes what it is asked: `credential-program FILE`.
import { appendFileSync } from 'node:fs';
import { credentialProvider } from 'keelson/credentials';

const [, , file = ''] = process.argv;

void credentialProvider({
  name: 'noting',
  get({ image, account }) {
    const { namespace, name, annotations = {} } = account ?? {};
    appendFileSync(file, `${image} ${namespace}/${name} ${JSON.stringify(annotations)}\n`);
    return { username: 'ann', password: 'secret', cacheFor: '1h', cacheBy: 'registry' };
  },
}).main();
