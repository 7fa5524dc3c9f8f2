package interop;

import static interop.Report.expect;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Two candidates for one Lease: the first leads alone, and the second as soon as the first lets go. */
final class Election {
  private Election() {}

  static void run(KubernetesClient client, String namespace) throws Exception {
    BlockingQueue<String> led = new LinkedBlockingQueue<>();
    CompletableFuture<?> first = elector(client, namespace, "first", led).start();
    expectLeader("first", led.poll(Report.STEP_LIMIT_MS, TimeUnit.MILLISECONDS));
    CompletableFuture<?> second = elector(client, namespace, "second", led).start();
    String other = led.poll(3, TimeUnit.SECONDS);
    expect(other == null, other + " leads too");
    first.cancel(true);
    expectLeader("second", led.poll(Report.STEP_LIMIT_MS, TimeUnit.MILLISECONDS));
    LeaseSpec spec = client.leases().inNamespace(namespace).withName("leader").get().getSpec();
    expect(spec.getHolderIdentity().equals("second"), "the Lease names " + spec.getHolderIdentity());
    expect(spec.getLeaseTransitions() >= 1, "the Lease has had " + spec.getLeaseTransitions() + " transitions");
    second.cancel(true);
  }

  private static LeaderElector elector(KubernetesClient client, String namespace, String name, BlockingQueue<String> led) {
    var settings = new LeaderElectionConfigBuilder()
        .withName(name)
        .withLock(new LeaseLock(namespace, "leader", name))
        .withLeaseDuration(Duration.ofSeconds(15))
        .withRenewDeadline(Duration.ofSeconds(10))
        .withRetryPeriod(Duration.ofSeconds(1))
        .withReleaseOnCancel(true)
        .withLeaderCallbacks(new LeaderCallbacks(() -> led.add(name), () -> {}, leader -> {}))
        .build();
    return new LeaderElector(client, settings, Executors.newCachedThreadPool());
  }

  private static void expectLeader(String wanted, String leader) {
    expect(wanted.equals(leader), leader + " leads instead of " + wanted);
  }
}
