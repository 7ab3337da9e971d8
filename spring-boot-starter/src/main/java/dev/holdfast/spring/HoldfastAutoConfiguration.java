package dev.holdfast.spring;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.TimeSource;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.spring.HoldfastProperties.Namespace;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Opens a runtime in {@code holdfast.directory} with all {@link DurableObject} classes, unless the
 * application has its own {@link ObjectRuntime} bean.
 *
 * <p>Beans of the types {@code CallFilter}, {@code OutgoingFilter} and {@code ContextCarrier} apply
 * to all namespaces, in their order. A bean of type {@code AlarmOptions} is used; alarms are held
 * until the application is ready in any case. A bean of type {@code TimeSource}, such as the
 * testkit's virtual clock, is the clock of the runtime.
 */
@AutoConfiguration
@EnableConfigurationProperties(HoldfastProperties.class)
@Import(DurableObjectScanner.class)
@ImportRuntimeHints(HoldfastRuntimeHints.class)
public final class HoldfastAutoConfiguration {

  /** For Spring. */
  public HoldfastAutoConfiguration() {}

  private static void register(
      ObjectRegistrar registrar,
      HoldfastProperties properties,
      List<RegisteredObject> objects,
      MigrationFiles migrations,
      ConfigurableListableBeanFactory beans) {
    Set<String> unknown = new HashSet<>(properties.namespaces().keySet());
    for (RegisteredObject each : objects) {
      unknown.remove(each.namespace());
      NamespaceOptions options = NamespaceOptions.DEFAULT.withStorage(each.storage());
      Namespace own = properties.namespaces().get(each.namespace());
      each.register(
          registrar,
          own == null ? options : own.over(options),
          migrations.of(each.namespace()),
          beans);
    }
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(
          "holdfast.namespaces."
              + unknown.iterator().next()
              + " is set, but no class has @DurableObject(\""
              + unknown.iterator().next()
              + "\"); there are "
              + objects.stream().map(RegisteredObject::namespace).sorted().toList());
    }
  }

  /** The runtime, when the application has no other. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(ObjectRuntime.class)
  static class RuntimeOfTheStarter {

    @Bean(destroyMethod = "close")
    ObjectRuntime objectRuntime(
        HoldfastProperties properties,
        ObjectProvider<RegisteredObject> objects,
        ObjectProvider<AlarmOptions> alarms,
        ObjectProvider<TimeSource> clock,
        ObjectProvider<HoldfastCustomizer> customizers,
        ApplicationContext context,
        ConfigurableListableBeanFactory beans) {
      MigrationFiles migrations = new MigrationFiles(context);
      Consumer<ObjectRegistrar> all =
          registrar -> {
            registrar.options(properties.runtimeOptions());
            registrar.alarms(alarms.getIfAvailable(() -> AlarmOptions.DEFAULT).withHeld());
            register(registrar, properties, objects.orderedStream().toList(), migrations, beans);
            beans.getBeanProvider(CallFilter.class).orderedStream().forEach(registrar::filter);
            beans
                .getBeanProvider(OutgoingFilter.class)
                .orderedStream()
                .forEach(registrar::outgoing);
            beans.getBeanProvider(ContextCarrier.class).orderedStream().forEach(registrar::carrier);
            customizers.orderedStream().forEach(each -> each.customize(registrar));
          };
      TimeSource time = clock.getIfAvailable();
      return time == null
          ? Holdfast.open(properties.directory(), all)
          : Holdfast.open(properties.directory(), time, all);
    }

    /** Once the singletons exist: before, a bean that calls objects would be its own dependency. */
    @Bean
    static SmartInitializingSingleton beansOfObjects(
        ObjectProvider<RegisteredObject> objects, ConfigurableListableBeanFactory beans) {
      return () -> objects.orderedStream().forEach(each -> each.requireBeans(beans));
    }
  }

  @Bean
  HoldfastLifecycle holdfastLifecycle(ObjectRuntime runtime) {
    return new HoldfastLifecycle(runtime);
  }
}
