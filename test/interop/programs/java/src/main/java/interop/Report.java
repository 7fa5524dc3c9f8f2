package interop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Runs the steps of an interop program and prints what came of them as one line of JSON. */
final class Report {
  static final long STEP_LIMIT_MS = 40_000;

  interface Step {
    void run() throws Exception;
  }

  private final Map<String, Object> report = new LinkedHashMap<>();
  private final List<Map<String, Object>> outcomes = new ArrayList<>();

  Report(String client, String version) {
    report.put("client", client);
    report.put("version", version);
    report.put("outcomes", outcomes);
  }

  /** Runs one step; a failed one does not keep later ones from running. */
  void step(String name, Step step) {
    try {
      step.run();
      outcomes.add(Map.of("step", name, "passed", true));
    } catch (Exception | AssertionError error) {
      outcomes.add(Map.of("step", name, "passed", false, "message", String.valueOf(error)));
    }
  }

  void print() throws JsonProcessingException {
    System.out.println(new ObjectMapper().writeValueAsString(report));
  }

  static void expect(boolean isSo, String message) {
    if (!isSo) throw new AssertionError(message);
  }

  /** Asks until the answer is true, and fails when the time is up. */
  static void eventually(String what, Callable<Boolean> ask) throws Exception {
    long end = System.nanoTime() + STEP_LIMIT_MS * 1_000_000;
    while (!ask.call()) {
      if (System.nanoTime() > end) throw new AssertionError("never: " + what);
      Thread.sleep(100);
    }
  }
}
