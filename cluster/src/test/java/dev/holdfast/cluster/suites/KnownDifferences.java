package dev.holdfast.cluster.suites;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Runs the tests of {@link Difference}, too, and reports them as skipped with the reason if they
 * fail as it says. One that does not fail any more has to leave the list, unless it depends on the
 * node whose turn it is.
 */
public final class KnownDifferences implements InvocationInterceptor {

  /** Creates the extension; called by JUnit. */
  public KnownDifferences() {}

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> test,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, test);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> test,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, test);
  }

  private static void intercept(
      Invocation<Void> invocation, ReflectiveInvocationContext<Method> test) throws Throwable {
    String name = test.getTargetClass().getSimpleName() + "." + test.getExecutable().getName();
    Optional<Difference> known =
        Difference.ALL.stream().filter(each -> each.tests().contains(name)).findFirst();
    if (known.isEmpty()) {
      invocation.proceed();
      return;
    }
    Difference difference = known.get();
    try {
      invocation.proceed();
    } catch (Throwable e) {
      if (difference.symptoms().stream().anyMatch(text(e)::contains)) {
        throw new TestAbortedException("In a cluster: " + difference.reason(), e);
      }
      throw e;
    }
    if (!difference.isAlways()) {
      return;
    }
    throw new AssertionError(name + " passes on a cluster: take it out of Difference.ALL");
  }

  private static String text(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
