package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A class of the product with other methods for the nodes: it is put before the class of the
 * product on their class path. So the product has no switch for a test. Immutable.
 *
 * @param file the class, as a resource
 * @param bodies the new bodies, by the names of their methods
 */
record ReplacedMethods(String file, Map<String, Consumer<CodeBuilder>> bodies) {

  ReplacedMethods {
    bodies = Map.copyOf(bodies);
  }

  /**
   * Writes the class.
   *
   * @param directory where it is put, to be the first of a class path
   * @throws IOException if the class cannot be read or written
   * @throws IllegalStateException if the class has no longer the methods that are replaced
   */
  void write(Path directory) throws IOException {
    byte[] written = bytes();
    Path target = directory.resolve(file);
    Files.createDirectories(target.getParent());
    Files.write(target, written);
  }

  byte[] bytes() throws IOException {
    try (InputStream found = ReplacedMethods.class.getClassLoader().getResourceAsStream(file)) {
      if (found == null) {
        throw new IllegalStateException("There is no class " + file);
      }
      ClassModel model = ClassFile.of().parse(found.readAllBytes());
      long replaced =
          model.methods().stream()
              .filter(method -> bodies.containsKey(method.methodName().stringValue()))
              .count();
      if (replaced != bodies.size()) {
        throw new IllegalStateException(
            file + " has " + replaced + " of the methods " + bodies.keySet());
      }
      ClassTransform transform =
          (builder, element) -> {
            Consumer<CodeBuilder> body =
                element instanceof MethodModel method
                    ? bodies.get(method.methodName().stringValue())
                    : null;
            if (body != null && element instanceof MethodModel method) {
              builder.withMethodBody(
                  method.methodName(), method.methodType(), method.flags().flagsMask(), body);
            } else {
              builder.with(element);
            }
          };
      return ClassFile.of().transformClass(model, transform);
    }
  }
}
