package testenv;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A cluster for each test. */
public final class TestCluster implements BeforeEachCallback, AfterEachCallback {
  private Process process;
  private KubernetesClient client;

  public KubernetesClient client() {
    return client;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    String program = System.getenv("KEELSON");
    List<String> command =
        program == null ? List.of("npx", "keelson", "test-env") : List.of(program, "test-env");
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream()));
    Config config = Config.fromKubeconfig(new File(output.readLine()));
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    client.close();
    process.getOutputStream().close();
    process.waitFor();
  }
}
