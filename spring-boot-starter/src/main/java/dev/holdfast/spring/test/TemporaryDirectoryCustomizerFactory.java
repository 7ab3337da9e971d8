package dev.holdfast.spring.test;

import dev.holdfast.spring.HoldfastProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.FileSystemUtils;

/**
 * Gives each context of a test a separate data directory, so that two cached contexts do not meet
 * in one. It is deleted when the context is closed. A test that sets {@code holdfast.directory}
 * itself keeps it.
 */
final class TemporaryDirectoryCustomizerFactory implements ContextCustomizerFactory {

  private static final String PROPERTY = "holdfast.directory";

  /** For Spring. */
  TemporaryDirectoryCustomizerFactory() {}

  @Override
  public ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
    return new TemporaryDirectory();
  }

  /** All are equal: a context is shared by the tests that could share it without this. */
  private record TemporaryDirectory() implements ContextCustomizer {

    @Override
    public void customizeContext(
        ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
      if (isSetByTheTest(configuration)) {
        return;
      }
      Path directory = newDirectory();
      ConfigurableEnvironment environment = context.getEnvironment();
      environment
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  HoldfastProperties.class.getName(),
                  Map.of(PROPERTY, directory.resolve("data").toString())));
      if (context.getBeanFactory() instanceof DefaultSingletonBeanRegistry beans) {
        // The first singleton is destroyed last: after the runtime.
        beans.registerDisposableBean(
            TemporaryDirectory.class.getName(),
            (DisposableBean) () -> FileSystemUtils.deleteRecursively(directory));
      }
    }

    private static boolean isSetByTheTest(MergedContextConfiguration configuration) {
      for (@Nullable String each : configuration.getPropertySourceProperties()) {
        if (each != null && each.replace(" ", "").startsWith(PROPERTY + "=")) {
          return true;
        }
      }
      return false;
    }

    private static Path newDirectory() {
      try {
        return Files.createTempDirectory("holdfast-test-");
      } catch (IOException e) {
        throw new UncheckedIOException("No temporary directory for the objects of a test", e);
      }
    }
  }
}
