package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spring.broken.shape.Shapeless;
import dev.holdfast.spring.broken.twice.One;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.Prices;
import dev.holdfast.spring.shop.ShopApplication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.io.DefaultResourceLoader;

/** How the starter opens a runtime, and what it refuses. */
class StarterTest {

  @TempDir private Path directory;
  private ApplicationContextRunner runner;

  @AutoConfigurationPackage(basePackageClasses = ShopApplication.class)
  static class Shop {}

  @AutoConfigurationPackage(basePackageClasses = One.class)
  static class Twice {}

  @AutoConfigurationPackage(basePackageClasses = Shapeless.class)
  static class Shape {}

  static final class PricesOfCarts extends Prices {

    private final ObjectNamespace<Cart> carts;

    PricesOfCarts(ObjectNamespace<Cart> carts) {
      this.carts = carts;
    }

    @Override
    public long of(String article) {
      return 7 + carts.getByName("bob").total();
    }
  }

  @BeforeEach
  void givenARunner() {
    runner =
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
            .withPropertyValues("holdfast.directory=" + directory.resolve("data"));
  }

  private void failsWith(ApplicationContextRunner application, String text) {
    application.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure()).hasStackTraceContaining(text);
        });
  }

  @Test
  void dataOutlivesTheContext() {
    ApplicationContextRunner shop = runner.withUserConfiguration(Shop.class, Prices.class);
    shop.run(context -> cart(context.getBean(ObjectRuntime.class)).add("tea", 2));
    shop.run(
        context -> {
          assertThat(cart(context.getBean(ObjectRuntime.class)).total()).isEqualTo(600);
          assertThat(context.getBeanNamesForType(ObjectRuntime.class)).hasSize(1);
        });
  }

  private static Cart cart(ObjectRuntime runtime) {
    return runtime.namespace("carts", Cart.class).getByName("ann");
  }

  @Test
  void applicationWithoutObjectsStarts() {
    runner.run(context -> assertThat(context).hasSingleBean(ObjectRuntime.class));
  }

  @Test
  void runtimeOfTheApplicationIsTheOnlyOne() {
    try (ObjectRuntime own = Holdfast.open(directory.resolve("own"), _ -> {})) {
      runner
          .withBean("own", ObjectRuntime.class, () -> own)
          .run(
              context -> {
                assertThat(context).hasSingleBean(ObjectRuntime.class);
                assertThat(directory.resolve("data")).doesNotExist();
              });
    }
  }

  @Test
  void customizersRegisterMore() {
    runner
        .withBean(
            HoldfastCustomizer.class,
            () -> objects -> objects.namespace("plain", Runnable.class, _ -> () -> {}))
        .run(
            context ->
                assertThat(context.getBean(ObjectRuntime.class).statistics().namespaces())
                    .containsKey("plain"));
  }

  @Test
  void optionsOfAnUnknownNamespaceAreRefused() {
    failsWith(
        runner
            .withUserConfiguration(Shop.class, Prices.class)
            .withPropertyValues("holdfast.namespaces.cart.idle-timeout=5s"),
        "holdfast.namespaces.cart is set, but no class has @DurableObject(\"cart\"); there are"
            + " [carts]");
  }

  @Test
  void twoClassesOfOneNamespaceAreRefused() {
    failsWith(
        runner.withUserConfiguration(Twice.class), "Two classes with @DurableObject(\"same\")");
  }

  @Test
  void classWithoutAnInterfaceForCallersIsRefused() {
    failsWith(
        runner.withUserConfiguration(Shape.class), "must implement one interface for its callers");
  }

  @Test
  void beanThatAConstructorNeedsMustExist() {
    runner
        .withUserConfiguration(Shop.class)
        .run(
            context -> {
              assertThat(context.getStartupFailure())
                  .isInstanceOfSatisfying(
                      UnsatisfiedDependencyException.class,
                      e ->
                          assertThat(Objects.requireNonNull(e.getInjectionPoint()).getMember())
                              .as("the place that Boot's analysis names")
                              .hasToString(
                                  "dev.holdfast.spring.shop.CartObject("
                                      + "dev.holdfast.ObjectContext,"
                                      + "dev.holdfast.spring.shop.Prices)"))
                  .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class);
            });
  }

  @Test
  void beanOfAScopeThatIsNotActiveExists() {
    new WebApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
        .withPropertyValues("holdfast.directory=" + directory.resolve("data"))
        .withUserConfiguration(Shop.class)
        .withBean(Prices.class, Prices::new, definition -> definition.setScope("request"))
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void beanOfAnObjectMayCallObjects() {
    runner
        .withUserConfiguration(Shop.class)
        .withBean(PricesOfCarts.class)
        .run(
            context -> {
              Cart cart = cart(context.getBean(ObjectRuntime.class));
              cart.add("tea", 2);
              assertThat(cart.total()).isEqualTo(14);
            });
  }

  @Test
  void directoryInUseIsExplained() {
    try (ObjectRuntime _ = Holdfast.open(directory.resolve("data"), _ -> {})) {
      runner.run(
          context -> {
            FailureAnalysis analysis =
                new DirectoryInUseFailureAnalyzer()
                    .analyze(Objects.requireNonNull(context.getStartupFailure()));
            assertThat(analysis.getCause()).isInstanceOf(DirectoryInUseException.class);
            assertThat(analysis.getAction()).contains("holdfast.directory");
          });
    }
  }

  @Test
  void deniedNativeAccessIsExplained() {
    IllegalCallerException denied = new IllegalCallerException("denied");
    NativeAccessFailureAnalyzer analyzer = new NativeAccessFailureAnalyzer();
    FailureAnalysis analysis =
        analyzer.analyze(
            new IllegalStateException(new DataDirectoryException(directory, "no library", denied)));
    assertThat(analysis.getAction()).contains("--enable-native-access=ALL-UNNAMED");
    assertThat(analyzer.analyze(new IllegalStateException(denied)))
        .as("of another library")
        .isNull();
  }

  @Test
  void migrationsAreReadInTheOrderOfTheirVersions() {
    MigrationFiles files = new MigrationFiles(new DefaultResourceLoader());
    assertThat(files.of("carts").stream().map(step -> step.name()))
        .containsExactly("V1__lines", "V2__notes");
    assertThat(files.of("nothing")).isEmpty();
  }

  @Test
  void hintsNameTheMigrations() {
    RuntimeHints hints = new RuntimeHints();
    new HoldfastRuntimeHints().registerHints(hints, null);
    assertThat(RuntimeHintsPredicates.resource().forResource("holdfast/carts/V1__lines.sql"))
        .accepts(hints);
  }

  @Test
  void propertiesHaveDescriptions() throws Exception {
    Path metadata =
        Path.of(
            HoldfastProperties.class
                .getResource("/META-INF/spring-configuration-metadata.json")
                .toURI());
    assertThat(Files.readString(metadata))
        .contains("holdfast.directory", "holdfast.value-cache-max", "holdfast.archive.directory");
  }
}
