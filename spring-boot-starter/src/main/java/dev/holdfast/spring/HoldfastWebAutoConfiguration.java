package dev.holdfast.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Answers with {@code ProblemDetail} for errors of the runtime, in a web application with MVC. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
public final class HoldfastWebAutoConfiguration {

  /** For Spring. */
  public HoldfastWebAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HoldfastProblems holdfastProblems() {
    return new HoldfastProblems();
  }

  /** Apart: its class cannot be loaded without the module. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "dev.holdfast.cluster.errors.ObjectUnavailableException")
  static class OfACluster {

    @Bean
    @ConditionalOnMissingBean
    ClusterProblems clusterProblems() {
      return new ClusterProblems();
    }
  }
}
