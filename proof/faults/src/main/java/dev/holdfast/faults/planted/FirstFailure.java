package dev.holdfast.faults.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes one after the other and ends the JVM at the first failure. */
final class FirstFailure {

  static final int ALL_PASSED = 0;
  static final int ONE_FAILED = 10;

  private FirstFailure() {}

  /**
   * Runs the tests.
   *
   * @param classNames the test classes
   */
  public static void main(String[] classNames) {
    Thread.ofPlatform().daemon().start(FirstFailure::endWithTheParent);
    for (String name : classNames) {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(selectClass(name))
              // A test that hangs has found the fault; the longest takes half a minute if others
              // run.
              .configurationParameter("junit.jupiter.execution.timeout.default", "120 s")
              .configurationParameter(
                  "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
              .configurationParameter("jqwik.database", "")
              .configurationParameter("jqwik.reporting.onlyfailures", "true")
              .build();
      LauncherFactory.create().execute(request, new HaltAtFailure());
    }
    Runtime.getRuntime().halt(ALL_PASSED);
  }

  /** The input is empty; its end is the end of the parent process. */
  private static void endWithTheParent() {
    try {
      while (System.in.read() >= 0) {}
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().halt(ONE_FAILED + 1);
    }
  }

  /** Halts, because a broken engine may leave threads that never end. */
  private static final class HaltAtFailure implements TestExecutionListener {

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        String[] source = test.getUniqueId().split("/", -1);
        System.out.println(
            "FAILED " + String.join(" ", Arrays.copyOfRange(source, 1, source.length)));
        System.out.flush();
        Runtime.getRuntime().halt(ONE_FAILED);
      }
    }
  }
}
