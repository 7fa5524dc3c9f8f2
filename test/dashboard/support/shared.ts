import { TestBrowser, type Visit, type VisitOptions } from './browser.ts';
import { DashboardCluster } from './dashboard-cluster.ts';

/** One cluster and one browser for all tests of a file: starting both takes longer than most tests. */
export class Shared {
  #cluster: DashboardCluster | undefined;
  #browser: TestBrowser | undefined;

  async start(): Promise<void> {
    this.#cluster = await DashboardCluster.start();
    this.#browser = await TestBrowser.launch();
  }

  async stop(): Promise<void> {
    await this.#browser?.[Symbol.asyncDispose]();
    await this.#cluster?.[Symbol.asyncDispose]();
  }

  get cluster(): DashboardCluster {
    if (this.#cluster === undefined) throw new Error('The cluster is not started');
    return this.#cluster;
  }

  get browser(): TestBrowser {
    if (this.#browser === undefined) throw new Error('The browser is not started');
    return this.#browser;
  }

  /** Opens the dashboard of the cluster at a place. */
  async open(place: string, options: VisitOptions = {}): Promise<Visit> {
    const visit = await this.browser.visit(this.cluster.up.url, options);
    await visit.page.getByRole('main').waitFor();
    await visit.go(place);
    return visit;
  }
}
