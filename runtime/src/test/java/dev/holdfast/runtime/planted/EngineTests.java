package dev.holdfast.runtime.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes one after the other and ends the JVM at the first failure. */
final class EngineTests {

  static final int ALL_PASSED = 0;
  static final int ONE_FAILED = 10;

  private EngineTests() {}

  public static void main(String[] classNames) {
    for (String name : classNames) {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(selectClass(name))
              .configurationParameter("jqwik.database", "")
              .configurationParameter("jqwik.reporting.onlyfailures", "true")
              .build();
      LauncherFactory.create().execute(request, new HaltAtFailure());
    }
    Runtime.getRuntime().halt(ALL_PASSED);
  }

  /** Halts, because a broken engine may leave threads that never end. */
  private static final class HaltAtFailure implements TestExecutionListener {

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        String[] source = test.getUniqueId().split("/");
        System.out.println(
            "FAILED " + String.join(" ", Arrays.copyOfRange(source, 1, source.length)));
        System.out.flush();
        Runtime.getRuntime().halt(ONE_FAILED);
      }
    }
  }
}
