package dev.holdfast.lint;

import com.sun.source.util.JavacTask;
import com.sun.source.util.Plugin;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.ServiceLoader;

/**
 * Error Prone as a plugin of javac, with its classes loaded once for all modules of a build: {@code
 * -Xplugin:LoadedErrorProne}, with the arguments of {@code -Xplugin:ErrorProne}.
 *
 * <p>Javac makes a class loader of its processor path for each compilation. In Maven's process each
 * module would load Error Prone and NullAway again, and the JVM compile them again: two seconds of
 * processor time, forty times.
 */
public final class LoadedErrorProne implements Plugin {

  /** The key of the class loader in the properties of the JVM, which outlive each compilation. */
  private static final String LOADER = LoadedErrorProne.class.getName();

  /** For the service loader of javac. */
  public LoadedErrorProne() {}

  @Override
  public String getName() {
    return "LoadedErrorProne";
  }

  @Override
  public void init(JavacTask task, String... arguments) {
    URL[] path = ((URLClassLoader) getClass().getClassLoader()).getURLs();
    ClassLoader loader =
        (ClassLoader)
            System.getProperties()
                .computeIfAbsent(
                    LOADER + Arrays.toString(path),
                    key -> new URLClassLoader(path, Plugin.class.getClassLoader()));
    useForChecks(task, loader);
    ServiceLoader.load(Plugin.class, loader).stream()
        .map(ServiceLoader.Provider::get)
        .filter(plugin -> plugin.getName().equals("ErrorProne"))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("Error Prone is not on the processor path."))
        .init(task, arguments);
  }

  /** Error Prone finds further checks, such as NullAway, through the class loader of processors. */
  private static void useForChecks(JavacTask task, ClassLoader loader) {
    try {
      Object context = task.getClass().getMethod("getContext").invoke(task);
      Class<?> processing =
          Class.forName("com.sun.tools.javac.processing.JavacProcessingEnvironment");
      Object environment =
          processing.getMethod("instance", context.getClass()).invoke(null, context);
      Field field = processing.getDeclaredField("processorClassLoader");
      field.setAccessible(true);
      field.set(environment, loader);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "This javac keeps the class loader of its processors elsewhere: use -Xplugin:ErrorProne.",
          e);
    }
  }
}
