# Reads one program a line, as a JSON string. Prints one JSON object a line: the place of the syntax error, or the tree and the
# places of the validation errors.
require 'json'
require 'puppet'
require 'puppet/pops'
require 'puppet/pops/pn'
require 'puppet/pops/model/pn_transformer'
require 'tmpdir'

def answer(code)
  model = Puppet::Pops::Parser::Parser.new.parse_string(code, nil).model
  tree = +''
  Puppet::Pops::Model::PNTransformer.transform(model.body).format(nil, tree)
  acceptor = Puppet::Pops::Validation::Acceptor.new
  Puppet::Pops::Validation::ValidatorFactory_4_0.new.validator(acceptor).validate(model)
  errors = acceptor.diagnostics.select { |d| d.severity == :error }
  { 'pn' => tree, 'invalid' => errors.map { |d| [d.source_pos.line, d.source_pos.pos] }.sort.uniq }
rescue Puppet::ParseErrorWithIssue => e
  { 'syntax' => e.line && [e.line, e.pos] }
rescue StandardError => e
  { 'crash' => e.class.name }
end

Dir.mktmpdir do |dir|
  Puppet.initialize_settings(['--vardir', dir, '--confdir', dir])
  env = Puppet::Node::Environment.create(:production, [])
  Puppet.override(current_environment: env, loaders: Puppet::Pops::Loaders.new(env)) do
    $stdin.each_line { |line| puts JSON.generate(answer(JSON.parse(line, quirks_mode: true))) }
  end
end
