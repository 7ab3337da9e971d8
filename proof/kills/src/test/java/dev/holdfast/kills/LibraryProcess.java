package dev.holdfast.kills;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.process.CommandLog;
import java.io.IOException;
import java.nio.file.Path;

/** A process that writes an object, prints {@code WRITTEN}, and waits to be killed. */
final class LibraryProcess {

  private LibraryProcess() {}

  /** An object with one value. */
  public interface OneValue {

    /** Stores the value. */
    void write(long value);
  }

  /** The child's main method. */
  public static void main(String[] arguments) throws IOException {
    CommandLog.warningsOnly();
    NamespaceOptions storage = NamespaceOptions.DEFAULT.withStorage(StorageKind.of(arguments[1]));
    try (ObjectRuntime runtime =
        Holdfast.open(
            Path.of(arguments[0]),
            objects ->
                objects.namespace(
                    "values",
                    OneValue.class,
                    (ObjectContext context) -> value -> context.storage().put("value", value),
                    storage))) {
      runtime.namespace("values", OneValue.class).getByName("a").write(1);
      System.out.println("WRITTEN");
      while (System.in.read() >= 0) {
        // It gets no input; it waits.
      }
    }
  }
}
