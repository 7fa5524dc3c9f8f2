import { CniError, cniPlugin, type CniRequest } from 'keelson/cni';

/** A chained plugin that sets kernel parameters of the container's network, such as `net.core.somaxconn`. */
export const tuning = cniPlugin({
  name: 'keelson-tuning',
  config: {
    type: 'object',
    properties: { sysctl: { type: 'object', additionalProperties: { type: 'string' } } },
    required: ['sysctl'],
  },

  async add(request) {
    if (request.prevResult === undefined)
      throw new CniError('InvalidConfiguration', 'keelson-tuning must come after a plugin that makes an interface');
    for (const [name, value] of settingsOf(request)) await request.inContainer('sysctl', '-qw', `${name}=${value}`);
  },

  async check(request) {
    for (const [name, value] of settingsOf(request)) {
      const present = (await request.inContainer('sysctl', '-n', name)).trim();
      if (present !== value) throw new CniError(101, `${name} is ${present}, not ${value}`);
    }
  },
});

/** Other parameters belong to the whole machine. */
function settingsOf({ config }: CniRequest<{ sysctl: Record<string, string> }>): readonly [string, string][] {
  return Object.entries(config.sysctl).map(([name, value]) => {
    if (!/^net\.[\w.-]+$/.test(name))
      throw new CniError('InvalidConfiguration', 'only parameters of the network can be set', {
        details: `"sysctl.${name}"`,
      });
    return [name, value];
  });
}
