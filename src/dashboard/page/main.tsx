import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { startSeconds } from './browser/clock.ts';
import { Connection } from './cluster/connection.ts';
import { Discovery } from './cluster/discovery.ts';
import { OpenApi } from './cluster/open-api.ts';
import { readSession } from './cluster/session.ts';
import { ThemeChoice } from './parts/theme.ts';
import { AppContext, Notices, type App } from './shell/app-context.ts';
import { Page } from './shell/page.tsx';
import { Router } from './shell/router.ts';
import { UsageSamples } from './usage/usage-samples.ts';
import './styles/colours.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/table.css';
import './styles/object.css';
import './styles/views.css';
import '@xterm/xterm/css/xterm.css';

start();

function start(): void {
  const lifetime = new AbortController();
  const connection = new Connection(readSession());
  const router = new Router();
  router.listen(lifetime.signal);
  const app: App = {
    connection,
    discovery: new Discovery(connection),
    openApi: new OpenApi(connection),
    router,
    namespace: signal(router.route.value.parameters['namespace'] ?? ''),
    moment: signal(undefined),
    walk: signal(undefined),
    notices: new Notices(),
    usage: new UsageSamples(),
  };
  void connection.open();
  // kinds are asked for at once, not after the first answer: the view needs both
  void app.discovery.run(lifetime.signal);
  effect(() => {
    if (connection.generation.value > 1) void app.discovery.refresh();
  });
  startSeconds();
  const place = document.getElementById('page');
  if (place === null) throw new Error('The document has no place for the page');
  const theme = new ThemeChoice();
  render(
    <AppContext.Provider value={app}>
      <Page theme={theme} />
    </AppContext.Provider>,
    place,
  );
}
