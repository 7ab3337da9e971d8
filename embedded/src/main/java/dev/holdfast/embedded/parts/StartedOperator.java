package dev.holdfast.embedded.parts;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.inspect.OperatorProvider;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** What serves the operators of a data directory. */
public final class StartedOperator {

  private StartedOperator() {}

  /**
   * {@return what serves operators, with the loader of Holdfast}
   *
   * @param data the data directory
   * @throws DataDirectoryException if it is not among the dependencies of the application
   */
  public static OperatorProvider provider(Path data) {
    return ServiceLoader.load(OperatorProvider.class, StartedOperator.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new DataDirectoryException(
                    data,
                    "No dependency of the application has the operator's socket. Add"
                        + " dev.holdfast:holdfast-operator, in the version of Holdfast, or open the"
                        + " runtime without the socket; nothing was changed",
                    null));
  }
}
